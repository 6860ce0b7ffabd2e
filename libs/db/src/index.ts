/** Postgres: a pool with exact parsers, migrations, roles, LISTEN, and the intake. */
export { createDatabase, pingDatabase, type Database, type SqlTransaction } from './database.ts';
export { createdWithin } from './created-within.ts';
export { claimDeployment, type Deployment } from './deployment.ts';
export { createListener, type Listener } from './listener.ts';
export { migrate } from './migrate.ts';
export {
  closeIntake,
  type Intake,
  IS_OTHER_DATABASE,
  openIntake,
  readIntake,
  setDrained,
} from './intake.ts';
export {
  isDatabaseFault,
  isLockFault,
  isRolledBack,
  isSilenceFault,
  sqlStateOf,
} from './faults.ts';
export { retryRolledBack } from './retry-rolled-back.ts';
export { retryWhileHeld } from './retry-while-held.ts';
export { DATABASE_ROLES, grantRoles } from './roles.ts';
export { readSchema, requireCurrentSchema, SchemaError, type SchemaState } from './schema.ts';
