/** The numbers of a run as lines for people. */
import type { Measured } from './measure.ts';
import type { MemoryOfProcess } from './memory.ts';

export function confirmedPerSecond({ confirmed, restSeconds }: Measured): number {
  return confirmed / restSeconds;
}

export function printRun(measured: Measured): void {
  const { accepted, confirmed, unsent, neverLanded, resent } = measured;
  const { repliedSeconds, restSeconds } = measured;
  const perSecond = {
    accepted: (accepted / repliedSeconds).toFixed(1),
    confirmed: confirmedPerSecond(measured).toFixed(1),
  };
  const spends = `${confirmed} confirmed, ${unsent} refused unsent, ${neverLanded} never landed`;
  const seconds = `${repliedSeconds.toFixed(0)} to the last reply, ${restSeconds.toFixed(0)} to rest`;
  for (const line of [
    `replies      ${counted(measured.byStatus)}`,
    `retried      ${counted(measured.retried)}`,
    `spends       ${spends}; bytes re-sent ${resent} times`,
    `per second   ${perSecond.accepted} accepted, ${perSecond.confirmed} confirmed`,
    `seconds      ${seconds}`,
  ]) {
    console.log(`  ${line}`);
  }
}

function counted(counts: ReadonlyMap<string, number>): string {
  const kinds = [...counts.keys()].toSorted((a, b) => a.localeCompare(b));
  return kinds.map((kind) => `${counts.get(kind)} × ${kind}`).join(', ') || 'none';
}

export function memoryLine(memory: MemoryOfProcess): string {
  const { name, beforeMib, highestMib, afterMib, growth } = memory;
  const mib = [beforeMib, highestMib, afterMib].map((one) => one.toFixed(0)).join(' / ');
  const thirds = `last third by middle third ${growth.toFixed(2)}`;
  return `  ${name.padEnd(15)} ${mib} MiB before / highest / after; ${thirds}`;
}
