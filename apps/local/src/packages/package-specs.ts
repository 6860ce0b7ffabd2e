import type { PackageSpec } from './build-package.ts';

/** The packages that users install. */
export const PACKAGE_SPECS: Readonly<Record<string, PackageSpec>> = {
  sdk: { folder: 'libs/sdk' },
  cli: { folder: 'apps/cli', bin: { 'agent-wallet': 'src/packed.ts' } },
  'agent-tools': { folder: 'libs/agent-tools' },
  mcp: { folder: 'apps/mcp', bin: { 'agent-wallet-mcp': 'src/main.ts' } },
};
