import type { Webhook } from '../../api/webhooks.ts';
import { Badge } from '../../ui/status.tsx';

export function WebhookState({ webhook: { status, failingSince } }: { webhook: Webhook }) {
  if (status === 'DISABLED') return <Badge>disabled</Badge>;
  return failingSince === null ? <Badge tone="good">enabled</Badge> : <Badge tone="bad">failing</Badge>;
}
