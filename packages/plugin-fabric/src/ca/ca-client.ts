import { isIP } from 'node:net';
import {
  type AdapterError,
  type AdapterHost,
  adapterError,
  type OutboundPolicy,
  type RequestResult,
} from '@ledger-ops/adapter';
import {
  createAddressCheck,
  guardedLookup,
  isNotOpened,
  OutboundError,
  readAnswer,
} from '@ledger-ops/outbound';
import { Pool } from 'undici';
import { z } from 'zod';
import type { CaProperties } from '../properties.ts';

/** A request of the CA's REST interface (fabric-ca, swagger-fabric-ca.json). */
export interface CaRequest {
  path: '/api/v1/enroll' | '/api/v1/reenroll' | '/api/v1/register';
  /** JSON text, exactly as it was signed. */
  body: string;
  authorization: string;
}

/** An error that the CA answered. */
export interface CaError {
  status: number;
  code: number;
  message: string;
}

/** The CA of the own organization. */
export interface CaClient {
  /** @throws AdapterError `unavailable`, `timeout`, and what `refusal` makes of the CA's error */
  post(request: CaRequest, refusal: (error: CaError) => AdapterError): Promise<unknown>;
  close(): Promise<void>;
}

const phase = 'wallet';
const answer = z.object({
  result: z.unknown(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).nullish(),
  success: z.boolean(),
});
const largest = { bytes: 2 ** 20, values: 10_000 };

export function createCaClient(
  { url, rootCertificate }: CaProperties,
  outbound: OutboundPolicy | undefined,
  timeout: number,
  requested?: AdapterHost['requested'],
): CaClient {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const allows = outbound === undefined ? undefined : createAddressCheck(outbound);
  const pool = new Pool(url.origin, {
    connect: {
      timeout,
      ...(rootCertificate === undefined ? {} : { ca: rootCertificate }),
      ...(allows === undefined ? {} : { lookup: guardedLookup(allows) }),
    },
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
  const prefix = url.pathname.replace(/\/$/, '');

  return {
    async post({ path, body, authorization }, refusal) {
      // A literal is not looked up.
      if (allows !== undefined && isIP(host) !== 0 && !allows(host))
        throw unreachable(new OutboundError(host), host);
      const started = performance.now();
      const tell = (result: RequestResult) => requested?.(path.slice(1), result, performance.now() - started);
      let status: number;
      let text: string;
      try {
        const response = await pool.request({
          path: `${prefix}${path}`,
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body,
        });
        status = response.statusCode;
        text = await readAnswer(response.body, largest);
      } catch (error) {
        const failure = unreachable(error, host);
        tell(failure.code === 'timeout' ? 'timeout' : 'unavailable');
        throw failure;
      }
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        tell('unavailable');
        throw adapterError('unavailable', `The CA answered with status ${status} and no JSON.`, { phase });
      }
      const parsed = answer.safeParse(json);
      if (!parsed.success) {
        tell('unavailable');
        throw adapterError(
          'unavailable',
          `The CA answered with status ${status} and not as a Fabric CA does.`,
          { phase },
        );
      }
      tell(parsed.data.success ? 'ok' : 'refused');
      if (parsed.data.success) return parsed.data.result;
      const [error] = parsed.data.errors ?? [];
      throw refusal({
        status,
        code: error?.code ?? 0,
        message: (error?.message ?? 'it gave no reason').slice(0, 300),
      });
    },
    close: () => pool.destroy(),
  };
}

function unreachable(error: unknown, host: string): AdapterError {
  if (isNotOpened(error)) {
    return adapterError('not-opened', `The CA cannot be used: ${new OutboundError(host).message}`, { phase });
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.includes('TIMEOUT')) return adapterError('timeout', 'The CA did not answer in time.', { phase });
  return adapterError('unavailable', `The CA cannot be reached${code === '' ? '' : ` (${code})`}.`, {
    phase,
  });
}
