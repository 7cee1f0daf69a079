/**
 * Makes a request; `signal` ends it, and its answer. It stands beside the request too, since in Node the signal of a request ends
 * nothing once that was collected as garbage, which may be while its answer is awaited or read.
 */
export type Fetch = (request: Request, options: { readonly signal: AbortSignal }) => Promise<Response>;
