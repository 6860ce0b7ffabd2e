export function packagesMatchLockfile(root: string): boolean;
export function networkSentence(output: string): string | undefined;
