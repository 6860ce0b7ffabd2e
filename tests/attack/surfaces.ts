import type { Surface } from './surface.ts';
import { browser } from './surfaces/browser.ts';
import { databaseRoles } from './surfaces/database-roles.ts';
import { foreignIds } from './surfaces/foreign-ids.ts';
import { ownerSignatures } from './surfaces/owner-signatures.ts';
import { schemathesis } from './surfaces/schemathesis.ts';
import { keysAndNonces } from './surfaces/keys-and-nonces.ts';
import { races } from './surfaces/races.ts';
import { requests } from './surfaces/requests.ts';
import { secrets } from './surfaces/secrets.ts';
import { lockfile } from './surfaces/lockfile.ts';
import { program } from './surfaces/program.ts';
import { programFuzz } from './surfaces/program-fuzz.ts';

/** The rows of the table, in its order. */
export const surfaces: readonly Surface[] = [
  lockfile,
  program,
  programFuzz,
  databaseRoles,
  // From the API's document.
  foreignIds,
  schemathesis,
  // By hand.
  keysAndNonces,
  ownerSignatures,
  browser,
  requests,
  races,
  secrets,
];
