export function packagesMatchLockfile(root: string): boolean;
export function packagesWithoutHash(
  root: string,
  here: { readonly platform: string; readonly arch: string },
): string[];
export function networkSentence(output: string): string | undefined;
