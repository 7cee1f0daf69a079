import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { nodesQuery } from '../../api/installation.ts';
import type { Schemas } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Records } from '../../ui/records.tsx';
import { useRemotePlugin } from '../ledger/technology.tsx';
import { NodeForm, RemoveNode } from './node-form.tsx';

type Node = Schemas['AdminNode'];

/** The nodes of a ledger that the user may see, with buttons to change them. */
export function Nodes({ ledger }: { ledger: Schemas['AdminLedger'] }) {
  const nodes = useQuery(nodesQuery(ledger.ledgerId));
  const isRemote = useRemotePlugin(ledger);
  /** `new`, or the node to change. */
  const [open, setOpen] = useState<'new' | Node>();
  const columns: Column<Node>[] = [
    {
      id: 'name',
      header: 'Node',
      cell: (one) => (
        <>
          <strong className="wrap-anywhere">{one.name}</strong>
          {/* The service's messages name a node by its id. */}
          {one.name === one.nodeId ? null : <p className="text-xs break-all text-ink-3">{one.nodeId}</p>}
          <p className="font-mono text-xs break-all sm:hidden">{one.uri}</p>
        </>
      ),
    },
    {
      id: 'uri',
      header: 'Address',
      from: 'sm',
      cell: (one) => <span className="font-mono text-[0.8125rem] break-all">{one.uri}</span>,
    },
    { id: 'client', header: 'Client', from: 'md', cell: (one) => one.client ?? '—' },
    {
      id: 'change',
      header: <span className="sr-only">Change</span>,
      align: 'right',
      cell: (node) => (
        <span className="inline-flex flex-wrap justify-end gap-2">
          {isRemote !== false ? null : (
            <Button aria-label={`Change the node ${node.name}`} onClick={() => setOpen(node)}>
              Change
            </Button>
          )}
          <RemoveNode node={node} />
        </span>
      ),
    },
  ];
  return (
    <>
      <Records
        title="Nodes"
        aside={isRemote !== false ? null : <Button onClick={() => setOpen('new')}>New node</Button>}
        label="Nodes of the ledger"
        list={nodes}
        columns={columns}
        rowId={({ nodeId }) => nodeId}
        empty={
          <p className="p-5 text-sm text-ink-2">
            {isRemote
              ? 'The plugin of this ledger is remote and connects to its nodes itself. Configure the nodes in the plugin.'
              : 'No nodes visible to you. Only the deployer sees the nodes of shared ledgers.'}
          </p>
        }
      />
      {open === undefined ? null : (
        <NodeForm ledger={ledger} {...(open !== 'new' && { node: open })} close={() => setOpen(undefined)} />
      )}
    </>
  );
}
