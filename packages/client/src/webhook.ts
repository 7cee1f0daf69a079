import type { ActionEvent, ContractEvent } from './events.ts';

/** Thrown if a request is not a webhook of the service, or is too old. Respond with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** The event `webhook.test`, which `POST /v1/webhooks/{id}/test` sends. */
export interface TestEvent {
  readonly type: 'webhook.test';
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Maximum clock difference in seconds. An eavesdropper can replay a request within this time. */
const tolerance = 300;

/**
 * Verifies a request according to the Standard Webhooks specification and returns its event. Each event
 * arrives at least once, so skip ids that you have already processed.
 *
 * @param body as received, not parsed
 *
 * @throws WebhookError
 */
export async function verifyWebhook(
  secret: string,
  body: string,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
): Promise<ActionEvent | ContractEvent | TestEvent> {
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== 'string') throw new WebhookError(`The header ${name} is missing.`);
    return value;
  };
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header);
  if (!/^\d{1,12}$/.test(timestamp ?? '') || Math.abs(Date.now() / 1_000 - Number(timestamp)) > tolerance) {
    throw new WebhookError('The request is too old, or its time is in the future.');
  }
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const key = await keyOf(secret);
  for (const one of (signatures ?? '').split(' ')) {
    const [version, text = ''] = one.split(',');
    const signature = version === 'v1' ? bytesOf(text) : undefined;
    if (signature !== undefined && (await crypto.subtle.verify('HMAC', key, signature, signed))) {
      return JSON.parse(body);
    }
  }
  throw new WebhookError('The request has no valid signature.');
}

async function keyOf(secret: string) {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0)
    throw new WebhookError('The secret must have the form whsec_….');
  return await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
