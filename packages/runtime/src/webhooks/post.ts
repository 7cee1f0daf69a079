import type { OutboundPolicy } from '@ledger-ops/adapter';
import {
  createAddressCheck,
  ExchangeError,
  OutboundClient,
  redirectHint,
  withoutBrackets,
} from '@ledger-ops/adapter/outbound';
import { invalidRequest, Problem } from '@ledger-ops/base';
import type { Posted } from './types.ts';

/**
 * Sends bodies to receivers through the outbound address guard. Does not follow redirects and does not read response
 * bodies.
 */
export interface Poster {
  /**
   * @throws Problem `invalid-request`, `address-not-opened`. Host names are not resolved here, but when something is
   * sent.
   */
  checkUrl(url: string, pointer: string): string;
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Posted>;
  close(): Promise<void>;
}

const maxUrl = 2_048;

/** @param patience time in milliseconds in which a receiver must respond */
export function createPoster(policy: OutboundPolicy, patience: number): Poster {
  const client = new OutboundClient(policy, { timeoutMs: patience });
  const allows = createAddressCheck(policy);
  const isPublic = createAddressCheck({ open: [] });

  /**
   * Plain HTTP is allowed only to private addresses that the deployer permits, because others could read a request to a
   * public address in transit.
   */
  function mayBePlain(host: string): boolean {
    const literal = host === 'localhost' ? '127.0.0.1' : withoutBrackets(host);
    return allows(literal) && !isPublic(literal);
  }

  return {
    checkUrl(text, pointer) {
      const url = text.length <= maxUrl && URL.canParse(text) ? new URL(text) : undefined;
      const refuse = (detail: string) => invalidRequest([{ pointer, detail }]);
      if (url === undefined || !['https:', 'http:'].includes(url.protocol)) {
        throw refuse(`must be an https URL of at most ${maxUrl} characters`);
      }
      if (url.username !== '' || url.password !== '') throw refuse('must not contain credentials');
      if (url.hash !== '') throw refuse('must not have a fragment');
      const host = withoutBrackets(url.hostname);
      if (isLiteral(host) && !allows(host)) {
        const detail = 'has a private address that this server does not allow';
        throw new Problem('address-not-opened', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
      }
      if (url.protocol === 'http:' && !mayBePlain(host)) throw refuse('must be https');
      return url.href;
    },

    async post(url, headers, body) {
      const request = {
        ...{ url: new URL(url), method: 'POST' as const, body, limits: null },
        headers: { ...headers, 'user-agent': 'ledger-operations' },
      };
      try {
        return await client.exchange(request, ({ status, retryAfterMs = null }) => {
          const error =
            status >= 200 && status < 300 ? null : `The receiver answered ${status}${redirectHint(status)}.`;
          return { status, error, retryAfterMs: error === null ? null : retryAfterMs };
        });
      } catch (error) {
        if (error instanceof ExchangeError)
          return { status: null, error: reasonOf(error), retryAfterMs: null };
        throw error;
      }
    },

    close: () => client.close(),
  };
}

function reasonOf({ failure, message }: ExchangeError): string {
  if (failure === 'not-opened') return 'The receiver has a private address that this server does not allow.';
  return `The receiver ${message}.`;
}

function isLiteral(host: string): boolean {
  return /^[0-9.]+$/.test(host) || host.includes(':');
}
