import { authenticationRows } from './authentication.ts';
import { endpointRows } from './endpoints.ts';
import { errorRows } from './errors.ts';
import { eventRows } from './events.ts';
import { limitRows } from './limits.ts';
import { openPointRows } from './open-points.ts';
import { resourceRows } from './resources.ts';
import type { Section } from './row-class.ts';
import { serviceRows } from './service.ts';
import { transitionRows } from './transitions.ts';

/** Every row of the interface, section by section in its order; what it leaves open comes last. */
export const register = {
  'What the service does': serviceRows,
  Resources: resourceRows,
  'States and transitions': transitionRows,
  Endpoints: endpointRows,
  Authentication: authenticationRows,
  Events: eventRows,
  Errors: errorRows,
  'Limits and versioning': limitRows,
  'Open points, decided': openPointRows,
} as const satisfies Readonly<Record<string, Section>>;

type Sections = (typeof register)[keyof typeof register];
type Ids<One> = One extends Section ? Extract<keyof One, string> : never;

/** The id of a row. */
export type RowId = Ids<Sections>;
