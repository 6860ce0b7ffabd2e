/** An answer goes out as a route made it, and one of them is not what the document says. */
import { replaceIn } from '../../support/replace-in.ts';

replaceIn(
  '/apps/api/src/app.ts',
  'app.setSerializerCompiler(serializerCompiler)',
  'app.setSerializerCompiler(() => (answer) => JSON.stringify(answer))',
);
replaceIn('/apps/api/src/routes/owner/wallet.ts', 'mint: chain.usdcMint', 'mint: 7');
