import type { ProcessSpec } from '@agent-wallet/local-system/system/app-processes.ts';

/** Adds copies of the API with its secrets and ports of their own: `api-2`, `api-3`, … */
export function withApis(specs: readonly ProcessSpec[], apis: number): readonly ProcessSpec[] {
  return specs.flatMap((spec) => {
    if (spec.role !== 'api') return [spec];
    const { port: _ofTheFirst, ...rest } = spec;
    const others = Array.from({ length: apis - 1 }, (_, n) => ({ ...rest, name: `api-${n + 2}` }));
    return [spec, ...others];
  });
}
