/** Input that does not fit its schema is answered as a fault of ours. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/http/error-reply.ts',
  'if (hasZodFastifySchemaValidationErrors(error)) return badRequest(textOfFirstIssue(error));',
  "if (hasZodFastifySchemaValidationErrors(error)) return refusalOfFault('INTERNAL');",
);
