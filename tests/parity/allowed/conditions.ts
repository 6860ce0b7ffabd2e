import { isDeepStrictEqual } from 'node:util';
import type { AllowedDifference } from '../compare.ts';
import type { Json } from '../symbols.ts';

/** Conditions on our value where it may differ from Surfnet's. */
type Value = Json | undefined;

export const is =
  (wanted: Value) =>
  (value: Value): boolean =>
    isDeepStrictEqual(value, wanted);
export const isText =
  (pattern: RegExp) =>
  (value: Value): boolean =>
    typeof value === 'string' && pattern.test(value);
export const isMissing = is(undefined);
export const isObjectWith =
  (key: string) =>
  (value: Value): boolean =>
    typeof value === 'object' && value !== null && key in value;
export const isError =
  (code: number, message: RegExp) =>
  (value: Value): boolean =>
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    value['code'] === code &&
    'message' in value &&
    isText(message)(value['message']);
/** An error in place of Surfnet's result: both members differ. */
export const errorInstead = (
  steps: RegExp,
  times: number,
  code: number,
  message: RegExp,
  because: string,
): AllowedDifference[] => [
  { steps, paths: /^result$/, ours: isMissing, times, because },
  { steps, paths: /^error$/, ours: isError(code, message), times, because },
];

export const INVALID_PARAMS = -32_602;
