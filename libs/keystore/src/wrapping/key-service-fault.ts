import { AppError } from '@agent-wallet/errors';

/** The fault of a call to the system that keeps a wrapping key. It says nothing about the key. */
export function keyServiceFault(service: string, key: string, cause: unknown): AppError {
  return new AppError('KEYSTORE_UNAVAILABLE', { service, key }, { cause });
}

/** Whether the fault is one of {@link keyServiceFault}. */
export const isFromKeyService = (error: AppError): boolean => 'service' in error.context;
