import type { awsKmsKeySchema } from '@agent-wallet/signer';
import type { z } from 'zod';
import { keyServiceFault } from './key-service-fault.ts';
import { contextOf, WRAPPING_TIMEOUT_MS, type WrappingKey } from './wrapping-key.ts';

/** Wraps by a symmetric key of AWS KMS. The SDK of AWS is loaded here only. */
export async function openAwsKmsKey({
  keyId,
  region,
}: z.output<typeof awsKmsKeySchema>): Promise<WrappingKey> {
  const { DecryptCommand, EncryptCommand, KMSClient } = await import('@aws-sdk/client-kms');
  const client = new KMSClient(region === undefined ? {} : { region });
  const unavailable = (cause: unknown) => keyServiceFault('AWS KMS', keyId, cause);
  return {
    id: `aws-kms:${keyId}`,
    wrap: async (dataKey, version) => {
      const EncryptionContext = { purpose: contextOf(version) };
      const request = { KeyId: keyId, Plaintext: dataKey, EncryptionContext };
      const reply = await client
        .send(new EncryptCommand(request), timeLimit())
        .catch((cause: unknown) => {
          throw unavailable(cause);
        });
      return bytesOf(reply.CiphertextBlob);
    },
    unwrap: async (wrapped, version) => {
      const EncryptionContext = { purpose: contextOf(version) };
      const request = { KeyId: keyId, CiphertextBlob: wrapped, EncryptionContext };
      const reply = await client
        .send(new DecryptCommand(request), timeLimit())
        .catch((cause: unknown) => {
          throw unavailable(cause);
        });
      return bytesOf(reply.Plaintext);
    },
    direct: null,
  };

  function bytesOf(bytes: Uint8Array | undefined): Buffer {
    if (bytes === undefined) throw unavailable(new Error('the reply holds no bytes'));
    return Buffer.from(bytes);
  }
}

const timeLimit = () => ({ abortSignal: AbortSignal.timeout(WRAPPING_TIMEOUT_MS) });
