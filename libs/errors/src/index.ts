/** One error class for faults, one registry of codes. Expected outcomes are values, not errors. */
export { AppError, isAppError } from './app-error.ts';
export type { ErrorCode } from './codes.ts';
