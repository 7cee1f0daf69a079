import type { Plugin } from '../../api/installation.ts';
import { Badge } from '../../ui/status.tsx';

/** One-word health status of a plugin. */
export function PluginHealth({ plugin }: { plugin: Plugin | undefined }) {
  if (plugin === undefined) return <Badge>…</Badge>;
  const { active, health } = plugin;
  if (!active) return <Badge>off</Badge>;
  if (health.loaded) return <Badge tone="good">responding</Badge>;
  return health.lastError === null ? <Badge>not loaded yet</Badge> : <Badge tone="bad">not responding</Badge>;
}
