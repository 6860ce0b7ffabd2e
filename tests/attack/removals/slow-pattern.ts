/** A header is read by a pattern that takes twice as long for each character more. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/spend/spend-headers.ts',
  '/^[\\x21-\\x7e]{1,255}$/',
  '/^([\\x21-\\x7e]+)+$/',
);
