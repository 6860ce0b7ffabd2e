/** Signatures are taken as lenient verifiers take them. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/auth/verify-signature.ts', '{ zip215: false }', '{ zip215: true }');
