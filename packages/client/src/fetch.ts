/**
 * Sends a request. `signal` cancels the request and the reading of its response. It is also passed
 * separately, because in Node a request's own signal stops working once the request is garbage-collected,
 * even while the response is pending or being read.
 */
export type Fetch = (request: Request, options: { readonly signal: AbortSignal }) => Promise<Response>;
