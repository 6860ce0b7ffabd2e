import { StartError } from '../system/start-error.ts';

/**
 * Runs what an entry point does. A StartError is printed as the sentence that it is; anything else
 * is a fault of ours and keeps its stack trace. Both end with exit code 1.
 */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exit(1);
  }
}
