import { verifyWebhook } from '@ledger-ops/client';

export async function receive(request: Request, secret: string): Promise<Response> {
  const event = await verifyWebhook(secret, await request.text(), request.headers); // throws WebhookError
  console.log(event.type);
  return new Response(null, { status: 204 });
}
