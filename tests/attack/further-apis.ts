import {
  appProcesses,
  type ProcessSpec,
  type Surroundings,
} from '@agent-wallet/local-system/system/app-processes.ts';
import type { Api } from '../support/http/http-owner.ts';
import type { Target } from './target.ts';

type Variables = Readonly<Record<string, string>>;

/** Adds further API processes, by name, with other settings. */
export const withApis =
  (further: Readonly<Record<string, Variables>>) =>
  (surroundings: Surroundings): readonly ProcessSpec[] => {
    const specs = appProcesses(surroundings);
    const apis = specs.filter(({ role }) => role === 'api');
    return [
      ...specs,
      ...apis.flatMap(({ port: _ofTheFirst, ...api }) =>
        Object.entries(further).map(([name, env]) => ({
          ...api,
          name,
          env: { ...api.env, ...env },
        })),
      ),
    ];
  };

/** Returns the address of one of them. */
export const apiAt = ({ system }: Target, name: string): Api => ({
  urls: { api: system.urls.processes[name] ?? '' },
});
