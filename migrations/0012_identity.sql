-- Which database this is, is for the database to say: no process writes it when it stores the
-- deployment, and a row without it does not exist.
update deployment set identity = database_identity() where identity is null;
alter table deployment
  alter column identity set default database_identity(),
  add constraint deployment_has_identity check (identity is not null);
