import { join } from 'node:path';
import { z } from 'zod';
import { Skipped } from '../step.ts';
import { REPOSITORY, runTool } from '../tools/run-tool.ts';
import { isCommand } from '../tools/need-tools.ts';

/** Kept between runs, unlike the folder of a run. */
const TOOLS = join(REPOSITORY, '.local', 'ops-tools');
const KUSTOMIZE = 'sigs.k8s.io/kustomize/kustomize/v5@v5.8.1';
const KUBECONFORM = 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0';
const KUBERNETES = 'k8s.io/kubernetes@v1.37.2';

export type KubernetesTools = {
  readonly kustomize: string;
  readonly kubeconform: string;
  /** The OpenAPI document of this version of Kubernetes. */
  readonly openApiFile: string;
  readonly schemasFolder: string;
};

/**
 * Builds kustomize and kubeconform with Go, and fetches the source of Kubernetes for its OpenAPI
 * document. Go verifies all three. Throws Skipped without Go.
 */
export async function needKubernetesTools(log: (line: string) => void): Promise<KubernetesTools> {
  if (!(await isCommand('go'))) throw new Skipped('no go, which builds kustomize and kubeconform');
  log('building kustomize and kubeconform, fetching the schemas of Kubernetes …');
  const env = { GOBIN: join(TOOLS, 'bin'), GOFLAGS: '-modcacherw' };
  await runTool(['go', 'install', KUSTOMIZE], { env });
  await runTool(['go', 'install', KUBECONFORM], { env });
  const found = z
    .object({ Dir: z.string() })
    .parse(JSON.parse(await runTool(['go', 'mod', 'download', '-json', KUBERNETES], { env })));
  return {
    kustomize: join(TOOLS, 'bin', 'kustomize'),
    kubeconform: join(TOOLS, 'bin', 'kubeconform'),
    openApiFile: join(found.Dir, 'api', 'openapi-spec', 'swagger.json'),
    schemasFolder: join(TOOLS, 'schemas'),
  };
}
