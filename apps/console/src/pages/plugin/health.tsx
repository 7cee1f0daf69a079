import type { Plugin } from '../../api/installation.ts';
import { Badge } from '../../ui/status.tsx';

/** How a plugin is doing, in a word. */
export function PluginHealth({ plugin }: { plugin: Plugin | undefined }) {
  if (plugin === undefined) return <Badge>…</Badge>;
  const { active, health } = plugin;
  if (!active) return <Badge>off</Badge>;
  if (health.loaded) return <Badge tone="good">answers</Badge>;
  return health.lastError === null ? (
    <Badge>not loaded yet</Badge>
  ) : (
    <Badge tone="bad">does not answer</Badge>
  );
}
