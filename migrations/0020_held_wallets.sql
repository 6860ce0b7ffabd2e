-- A caller that waits for a wallet's row keeps a connection. No call waits for long: its caller
-- comes again, without a connection in between, so that a wallet whose row is held for long leaves
-- the connections to the others. A longer wait raises 55P03, "lock not available".

-- Locks the row of a wallet for a change of its money.
create function hold_wallet(of_wallet uuid) returns void language plpgsql
set lock_timeout = '100ms'
as $$
begin
  perform 1 from wallet where wallet_id = of_wallet for no key update;
end
$$;

alter function accept_spends(uuid, jsonb) set lock_timeout = '100ms';
