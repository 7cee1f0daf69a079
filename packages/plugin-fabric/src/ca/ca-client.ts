import {
  type AdapterError,
  type AdapterHost,
  adapterError,
  type OutboundPolicy,
  type RequestResult,
} from '@ledger-ops/adapter';
import {
  ExchangeError,
  type OutboundAnswer,
  OutboundClient,
  RateLimit,
  redirectHint,
} from '@ledger-ops/adapter/outbound';
import { z } from 'zod';
import type { CaProperties } from '../properties.ts';

/** A request of the CA's REST interface (fabric-ca, swagger-fabric-ca.json). */
export interface CaRequest {
  path: '/api/v1/enroll' | '/api/v1/reenroll' | '/api/v1/register';
  /** JSON string, exactly as it was signed. */
  body: string;
  authorization: string;
}

/** An error in a CA's answer. */
export interface CaError {
  status: number;
  code: number;
  message: string;
}

/** The CA of the ledger's organization. */
export interface CaClient {
  /**
   * @throws AdapterError `unavailable`, `timeout`, or the error that `refusal` creates from the CA's error
   */
  post(request: CaRequest, refusal: (error: CaError) => AdapterError): Promise<unknown>;
  close(): Promise<void>;
}

const phase = 'wallet';
const answer = z.object({
  result: z.unknown(),
  errors: z.array(z.unknown()).nullish(),
  success: z.boolean(),
});
/** Reads only the first error, because each malformed error would add an issue. */
const firstError = z.object({ code: z.number(), message: z.string() });
const limits = { bytes: 2 ** 20, values: 10_000 };

export function createCaClient(
  { url, rootCertificate }: CaProperties,
  outbound: OutboundPolicy | undefined,
  timeoutMs: number,
  { now, requested }: Pick<AdapterHost, 'now' | 'requested'>,
): CaClient {
  const client = new OutboundClient(outbound, {
    timeoutMs,
    ...(rootCertificate === undefined ? {} : { tls: { ca: rootCertificate } }),
  });
  const rateLimit = new RateLimit(now);
  const prefix = url.pathname.replace(/\/$/, '');

  function limited(retryAfterMs: number): AdapterError {
    const detail = `The CA rejected requests because of its rate limit. It is queried again in ${Math.ceil(retryAfterMs / 1_000)} s.`;
    return adapterError('unavailable', detail, { phase, retryAfterMs });
  }

  /** Parses the CA's answer. @throws AdapterError `unavailable` */
  function read({ status, content, retryAfterMs }: OutboundAnswer) {
    if (status === 429 || (status === 503 && retryAfterMs !== undefined)) {
      throw limited(rateLimit.refused(retryAfterMs));
    }
    rateLimit.answered();
    let json: unknown;
    try {
      json = JSON.parse(content.toString());
    } catch {
      const detail = `The CA's response has status ${status} and is not JSON${redirectHint(status)}.`;
      throw adapterError('unavailable', detail, { phase });
    }
    const parsed = answer.safeParse(json);
    if (parsed.success) return { status, ...parsed.data };
    const detail = `The CA's response has status ${status} and is not in the format of a Fabric CA.`;
    throw adapterError('unavailable', detail, { phase });
  }

  return {
    async post({ path, body, authorization }, refusal) {
      if (rateLimit.remainingMs > 0) throw limited(rateLimit.remainingMs);
      const started = performance.now();
      const tell = (result: RequestResult) => requested?.(path.slice(1), result, performance.now() - started);
      const headers = { authorization, 'content-type': 'application/json' };
      const { status, success, result, errors } = await client
        .exchange(
          { url: new URL(`${url.origin}${prefix}${path}`), method: 'POST', headers, body, limits },
          read,
        )
        .catch((error: unknown) => {
          const failure = error instanceof ExchangeError ? unreachable(error) : error;
          tell(error instanceof ExchangeError && error.failure === 'timeout' ? 'timeout' : 'unavailable');
          throw failure;
        });
      tell(success ? 'ok' : 'refused');
      if (success) return result;
      const error = firstError.safeParse(errors?.[0]).data;
      throw refusal({
        status,
        code: error?.code ?? 0,
        message: (error?.message ?? 'it returned no reason').slice(0, 300),
      });
    },
    close: () => client.close(),
  };
}

function unreachable({ failure, message }: ExchangeError): AdapterError {
  const code = failure === 'timeout' || failure === 'not-opened' ? failure : 'unavailable';
  return adapterError(code, `The CA ${message}.`, { phase });
}
