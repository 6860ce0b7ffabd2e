/** What an operator has to know or to do; its message is the whole output. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}
