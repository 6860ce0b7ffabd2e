import { z } from 'zod';
import { moment } from './moment.ts';

const LIMIT_FAULT = 'must be an integer from 1 to 200';

/** Query parameters of a list of rows with a time, newest first. */
export const pageQuery = {
  from: moment
    .optional()
    .describe('Only rows of this time or later: unix seconds, or ISO 8601 with a zone.'),
  to: moment
    .optional()
    .describe('Only rows before this time: unix seconds, or ISO 8601 with a zone.'),
  cursor: z
    .string({ error: 'must be a string' })
    .optional()
    .describe('The next_cursor of an earlier answer.'),
  limit: z
    .string({ error: LIMIT_FAULT })
    .regex(/^(?:[1-9][0-9]?|1[0-9]{2}|200)$/, { error: LIMIT_FAULT })
    .default('50')
    .transform(Number)
    .meta({ description: 'Rows per page, 1 to 200.' }),
};
