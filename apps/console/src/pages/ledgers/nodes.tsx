import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { nodesQuery } from '../../api/installation.ts';
import type { Schemas } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Records } from '../../ui/records.tsx';
import { NodeForm, RemoveNode } from './node-form.tsx';

type Node = Schemas['AdminNode'];

/** The nodes of a ledger that the caller sees, and what changes them. */
export function Nodes({ ledger }: { ledger: Schemas['AdminLedger'] }) {
  const nodes = useQuery(nodesQuery(ledger.ledgerId));
  const [open, setOpen] = useState<{ what: 'add' } | { what: 'change' | 'remove'; node: Node }>();
  const close = () => setOpen(undefined);
  const columns: Column<Node>[] = [
    {
      id: 'name',
      header: 'Node',
      cell: (one) => (
        <>
          <strong className="wrap-anywhere">{one.name}</strong>
          {/* The service names a node by this in what it says. */}
          {one.name === one.nodeId ? null : <p className="text-xs break-all text-ink-3">{one.nodeId}</p>}
        </>
      ),
    },
    {
      id: 'uri',
      header: 'Address',
      cell: (one) => <span className="font-mono text-[0.8125rem] break-all">{one.uri}</span>,
    },
    { id: 'client', header: 'Client', from: 'md', cell: (one) => one.client ?? '—' },
    {
      id: 'change',
      header: <span className="sr-only">Change</span>,
      align: 'right',
      cell: (node) => (
        <span className="inline-flex flex-wrap justify-end gap-2">
          <Button
            aria-label={`Change the node ${node.name}`}
            onClick={() => setOpen({ what: 'change', node })}
          >
            Change
          </Button>
          <Button
            aria-label={`Remove the node ${node.name}`}
            onClick={() => setOpen({ what: 'remove', node })}
          >
            Remove
          </Button>
        </span>
      ),
    },
  ];
  return (
    <>
      <Records
        title="Nodes"
        aside={<Button onClick={() => setOpen({ what: 'add' })}>New node</Button>}
        label="Nodes of the ledger"
        list={nodes}
        columns={columns}
        rowId={({ nodeId }) => nodeId}
        empty={
          <p className="p-5 text-sm text-ink-2">
            None that you may see. Nodes of the deployer’s ledgers are shown to the deployer alone.
          </p>
        }
      />
      {open?.what === 'add' ? <NodeForm ledger={ledger} close={close} /> : null}
      {open?.what === 'change' ? <NodeForm ledger={ledger} node={open.node} close={close} /> : null}
      {open?.what === 'remove' ? <RemoveNode node={open.node} close={close} /> : null}
    </>
  );
}
