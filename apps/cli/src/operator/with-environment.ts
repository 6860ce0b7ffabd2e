import type { Command } from 'commander';

/** Adds the environment variables of a group of commands to its help. */
export const withEnvironment = (command: Command, text: string): Command =>
  command.addHelpText('after', `\nEnvironment: ${text}`);
