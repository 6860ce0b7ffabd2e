/** What cannot be read is refused at once, whatever is still to be answered before it. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn('/apps/api/src/http/broken-request.ts', '|| isAwaited)', ')');
