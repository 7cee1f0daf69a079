import { graphlib, layout } from '@dagrejs/dagre';
import { actionText, statusText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useEvents } from '../../api/live.ts';
import { actionQuery, queries } from '../../api/queries.ts';
import type { ActionDetails } from '../../api/types.ts';
import { Loading } from '../../ui/layout.tsx';

/** Maximum number of actions in the drawing; more would be unreadable. */
const most = 60;
const size = { width: 188, height: 66 };
const colours = {
  SUCCEEDED: 'var(--good)',
  PENDING: 'var(--gold)',
  FAILED: 'var(--bad)',
  CANCELED: 'var(--line-strong)',
  RETRACTED: 'var(--bad)',
};

/** Draws all dependencies and dependents of an action, on all ledgers. */
export default function Graph({ action }: { action: ActionDetails }) {
  const around = useQuery({
    queryKey: ['actions', 'around', action.actionId, action.updatedAt],
    queryFn: () => gather(action),
    placeholderData: (before) => before,
  });
  useEvents(({ data }) => {
    const isAround = around.data?.some(({ actionId }) => actionId === data.actionId) === true;
    // The page already reloads its own action.
    if (!isAround || data.actionId === action.actionId) return;
    void queries
      .invalidateQueries({ queryKey: ['actions', 'one', data.actionId] })
      .then(() => queries.invalidateQueries({ queryKey: ['actions', 'around', action.actionId] }));
  });
  const frame = useRef<HTMLElement>(null);
  const isDrawn = around.data !== undefined;
  useEffect(() => {
    const current = frame.current?.querySelector<HTMLElement>('[aria-current]')?.parentElement;
    if (!isDrawn || !current || frame.current === null) return;
    if (current.offsetLeft + size.width < frame.current.clientWidth) return;
    // Centers the page's action: a long chain does not fit into the view.
    frame.current.scrollLeft = current.offsetLeft + size.width / 2 - frame.current.clientWidth / 2;
  }, [isDrawn]);
  if (around.data === undefined) return <Loading />;
  const { nodes, edges, width, height } = draw(around.data);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be focused
    <section ref={frame} tabIndex={0} aria-label="Graph of dependencies" className="overflow-x-auto p-5">
      <div className="relative" style={{ width, height }}>
        <svg width={width} height={height} aria-hidden="true" className="absolute inset-0">
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0 8 4 0 8Z" fill="var(--line-strong)" />
            </marker>
          </defs>
          {edges.map(({ key, path }) => (
            <path
              key={key}
              d={path}
              fill="none"
              stroke="var(--line-strong)"
              strokeWidth="1.5"
              markerEnd="url(#arrow)"
            />
          ))}
        </svg>
        <ul>
          {nodes.map(({ one, x, y }) => (
            <li key={one.actionId} className="absolute" style={{ left: x, top: y, ...size }}>
              <Link
                to="/actions/$actionId"
                params={{ actionId: one.actionId }}
                aria-current={one.actionId === action.actionId ? 'page' : undefined}
                style={{ borderLeftColor: colours[statusText(one)] }}
                className="block h-full overflow-hidden rounded-lg border border-l-4 border-line bg-surface px-3 py-2 text-xs hover:bg-sunken aria-[current=page]:ring-2 aria-[current=page]:ring-accent"
              >
                <span className="block truncate font-medium">{actionText(one)}</span>
                <span className="block truncate text-ink-3">{one.operationLedger}</span>
                <span className="block truncate text-ink-2">{statusText(one).toLowerCase()}</span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

type Node = ActionDetails & { operationLedger: string };

async function gather(start: ActionDetails): Promise<Node[]> {
  const found = new Map([[start.actionId, start]]);
  const ids = (one: ActionDetails) => [...one.dependsOn.map(({ actionId }) => actionId), ...one.dependents];
  for (let edge = ids(start); edge.length > 0 && found.size < most; ) {
    const fresh = [...new Set(edge)].filter((id) => !found.has(id)).slice(0, most - found.size);
    const read = await Promise.all(
      fresh.map((id) => queries.fetchQuery(actionQuery(id)).catch(() => undefined)),
    );
    const next = read.filter((one) => one !== undefined);
    for (const one of next) found.set(one.actionId, one);
    edge = next.flatMap(ids);
  }
  return [...found.values()].map((one) => ({ ...one, operationLedger: one.ledgerId ?? one.walletId }));
}

function draw(actions: readonly Node[]) {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 18, ranksep: 36, marginx: 4, marginy: 4 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { actionId } of actions) graph.setNode(actionId, { ...size });
  for (const { actionId, dependsOn } of actions) {
    for (const { actionId: before } of dependsOn) {
      if (graph.hasNode(before)) graph.setEdge(before, actionId);
    }
  }
  layout(graph);
  const nodes = actions.map((one) => {
    const { x, y } = graph.node(one.actionId);
    return { one, x: x - size.width / 2, y: y - size.height / 2 };
  });
  const edges = graph.edges().map((edge) => {
    const points: { x: number; y: number }[] = graph.edge(edge).points;
    const path = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join(' ');
    return { key: `${edge.v} ${edge.w}`, path };
  });
  const { width = 0, height = 0 } = graph.graph();
  return { nodes, edges, width, height };
}
