import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { verifyWebhook, WebhookError } from '../src/index.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = JSON.stringify({ id: 'e1', type: 'action.succeeded', data: { actionId: 'a1' } });

function signed(text = body, at = new Date(), by = secret): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signature = new Webhook(by).sign('e1', at, text);
  return { 'webhook-id': 'e1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

test('accepts a webhook signed by another implementation, even with further signatures', async () => {
  const headers = signed();
  expect(await verifyWebhook(secret, body, headers)).toMatchObject({ type: 'action.succeeded' });
  expect(await verifyWebhook(secret, body, new Headers(headers))).toMatchObject({ id: 'e1' });
  const old = signed(body, new Date(), `whsec_${Buffer.alloc(32, 8).toString('base64')}`);
  const both = `${old['webhook-signature']} ${headers['webhook-signature']}`;
  expect(await verifyWebhook(secret, body, { ...headers, 'webhook-signature': both })).toBeDefined();
});

test.each<[string, string, Record<string, string>]>([
  ['another body', `${body} `, signed()],
  ['another secret', body, signed(body, new Date(), `whsec_${Buffer.alloc(32, 8).toString('base64')}`)],
  ['another id', body, { ...signed(), 'webhook-id': 'e2' }],
  ['an old request', body, signed(body, new Date(Date.now() - 400_000))],
  ['a request with a time in the future', body, signed(body, new Date(Date.now() + 400_000))],
  ['no timestamp', body, { ...signed(), 'webhook-timestamp': '' }],
  ['no headers', body, {}],
  ['a signature with another version', body, { ...signed(), 'webhook-signature': 'v2,AAAA' }],
  ['a signature that is not base64', body, { ...signed(), 'webhook-signature': 'v1,%%% v1' }],
])('verifyWebhook refuses %s', async (_, text, headers) => {
  await expect(verifyWebhook(secret, text, headers)).rejects.toThrow(WebhookError);
});

test('verifyWebhook refuses an invalid webhook secret', async () => {
  for (const wrong of ['', 'whsec_', 'whsec_%']) {
    await expect(verifyWebhook(wrong, body, signed())).rejects.toThrow(WebhookError);
  }
});
