import type { Step } from './step.ts';
import { bootRoles } from './steps/boot-roles.ts';
import { bringUpComposition } from './steps/bring-up-composition.ts';
import { buildImage } from './steps/build-image.ts';
import { killCopies } from './steps/kill-copies.ts';
import { runDemo } from './steps/run-demo.ts';
import { validateKubernetes } from './steps/validate-kubernetes.ts';
import { verifyUnits } from './steps/systemd-units.ts';
import { testAlerts } from './steps/test-alerts.ts';

/** The steps in their order. Those that run containers need the image of the first one. */
export const STEPS: readonly Step[] = [
  buildImage,
  bootRoles,
  runDemo,
  bringUpComposition,
  verifyUnits,
  validateKubernetes,
  testAlerts,
  killCopies,
];
