/** Defects that can be planted, to show that the table finds them. */
export const PLANTS = [
  'resign-without-proof',
  'no-fence',
  'ignore-broadcasts',
  'store-after-send',
  'no-sweep',
  'forget-keys',
  'open-at-once',
] as const;
export type PlantName = (typeof PLANTS)[number];

export const isPlant = (name: string): name is PlantName => PLANTS.some((plant) => plant === name);

/** The module to load first in every process. */
export const plantUrl = (name: PlantName): URL => new URL(`${name}.ts`, import.meta.url);
