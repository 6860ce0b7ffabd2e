import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Ops, Step } from '../step.ts';
import { needTools } from '../tools/need-tools.ts';
import { REPOSITORY, runTool, tryTool } from '../tools/run-tool.ts';

const UNITS = join(REPOSITORY, 'deploy/systemd');
/** In tenths, as systemd-analyze takes it; 2.0 is far below what it calls OK. */
const EXPOSURE_MAX = 20;

/** The units in a root folder of their own, where systemd-analyze finds what they start. */
export const verifyUnits: Step = {
  name: 'the systemd units are valid, and their sandbox leaves an exposure of at most 2.0',
  run: async (ops) => {
    await needTools(ops, { 'systemd-analyze': 'systemd' });
    const root = stageRoot(ops);
    for (const file of readdirSync(UNITS).filter((name) => name.endsWith('.service'))) {
      const unit = file.replace('@.service', '@8080.service');
      const { code, out, err } = await tryTool([
        'systemd-analyze',
        'verify',
        `--root=${root}`,
        unit,
      ]);
      // It returns 0 for settings that it does not know, and warns.
      if (code !== 0 || `${out}${err}`.trim() !== '') throw new Error(`${unit}: ${out}${err}`);
      const rate = [
        'systemd-analyze',
        'security',
        '--offline=true',
        `--root=${root}`,
        '--no-pager',
      ];
      const rated = await runTool([...rate, `--threshold=${EXPOSURE_MAX}`, unit]);
      ops.log(rated.trim().split('\n').at(-1) ?? '');
    }
  },
};

function stageRoot({ folder }: Ops): string {
  const root = join(folder, 'systemd');
  cpSync(UNITS, join(root, 'etc/systemd/system'), { recursive: true });
  cpSync('/usr/lib/systemd/system', join(root, 'usr/lib/systemd/system'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const bin = join(root, 'opt/agent-wallet/node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  cpSync(process.execPath, join(bin, 'node'));
  return root;
}
