/** `npm run settings`: writes the documents of the settings from the schemas of the processes. */
import { mkdir, writeFile } from 'node:fs/promises';
import { settingsFiles, urlOf } from './files.ts';

await mkdir(urlOf('deploy/env'), { recursive: true });
for (const [path, content] of settingsFiles()) {
  await writeFile(urlOf(path), content);
  console.log(path);
}
