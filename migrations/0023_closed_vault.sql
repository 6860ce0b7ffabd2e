-- Slot at which the owner closed the vault, until it is created again. A read of the chain from
-- before that slot still shows the vault, and must not make the wallet active.
alter table wallet add column closed_slot bigint;
