import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { needKubernetesTools } from '../kubernetes/tools.ts';
import { writeSchemas } from '../kubernetes/write-schemas.ts';
import type { Step } from '../step.ts';
import { runTool, tryTool } from '../tools/run-tool.ts';

const OVERLAYS = [
  'deploy/kubernetes/overlays/example/migrate',
  'deploy/kubernetes/overlays/example',
];

/** Renders the manifests with kustomize and compares them with the schemas of the API server. */
export const validateKubernetes: Step = {
  name: 'the kubernetes manifests render and are valid',
  run: async ({ folder, log }) => {
    const tools = await needKubernetesTools(log);
    await writeSchemas(tools.openApiFile, tools.schemasFolder);
    const check = (file: string): readonly string[] => [
      tools.kubeconform,
      '-strict',
      '-summary',
      '-schema-location',
      `${tools.schemasFolder}/{{.ResourceKind}}{{.KindSuffix}}.json`,
      file,
    ];
    for (const overlay of OVERLAYS) {
      const rendered = await runTool([tools.kustomize, 'build', overlay]);
      const file = join(folder, `${overlay.replaceAll('/', '-')}.yaml`);
      await writeFile(file, rendered);
      log(`${overlay}: ${(await runTool(check(file))).trim()}`);
      const spoiled = join(folder, 'spoiled.yaml');
      await writeFile(spoiled, rendered.replace('capabilities:', 'capabilitys:'));
      const { code } = await tryTool(check(spoiled));
      if (code === 0) throw new Error('kubeconform accepts a field that Kubernetes does not know');
    }
  },
};
