import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ENTRY = fileURLToPath(new URL('./in-page.ts', import.meta.url));

/** The test wallet as one script without imports, for `addInitScript`. */
export async function bundleTestWallet(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2023',
      lib: { entry: ENTRY, formats: ['iife'], name: 'testWalletScript', fileName: 'test-wallet' },
    },
  });
  const [first] = [result].flat();
  if (first === undefined || !('output' in first)) throw new Error('vite returned no output');
  return first.output[0].code;
}
