/** An error with its HTTP status; `outcome` is the label of the metric. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly statusCode: number;
  readonly outcome: string;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    statusCode: number,
    outcome: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.statusCode = statusCode;
    this.outcome = outcome;
    this.headers = headers;
  }
}
