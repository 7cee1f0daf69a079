import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call, path } from '../api/client.ts';
import { useCreation } from '../api/create.ts';
import { ledgerSuspensionQuery, selectionQuery } from '../api/installation.ts';
import { ledgersQuery, queries } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { sentenceText } from '../lib/format.ts';
import type { PropertyMember } from '../lib/property-form.ts';
import { shownNumber } from '../lib/unit.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Card, Empty, Facts, PageHead, Up } from '../ui/layout.tsx';
import { Owner } from '../ui/names.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Unread } from '../ui/record.tsx';
import { Badge } from '../ui/status.tsx';
import { Time } from '../ui/text.tsx';
import { LedgerFigures, LedgerHealth, useLedgerMessages } from './ledger/health.tsx';
import { TechnologyTitle, usePropertyMembers } from './ledger/technology.tsx';
import { ChangeLedger } from './ledgers/ledger-form.tsx';
import { Nodes } from './ledgers/nodes.tsx';

const route = getRouteApi('/frame/ledgers/$ledgerId');

const up = <Up to="/ledgers">Ledgers</Up>;

export function LedgerPage() {
  const { ledgerId } = route.useParams();
  const ledgers = useQuery(ledgersQuery());
  const messagesOf = useLedgerMessages();
  const [isChanging, setChanging] = useState(false);
  const ledger = ledgers.data?.find((one) => one.ledgerId === ledgerId);
  const memberOf = usePropertyMembers(ledger?.technology);
  if (ledgers.data === undefined)
    return <Unread key={ledgerId} error={ledgers.error} name="ledger" up={up} />;
  if (ledger === undefined) {
    return (
      <>
        {up}
        <PageHead title="Ledger not found" />
        <Card>
          <Empty title={`No active ledger ${ledgerId}`}>
            It may be inactive or belong to another project. Choose the project in the menu.
          </Empty>
        </Card>
      </>
    );
  }
  const messages = messagesOf(ledger.uid);
  return (
    <>
      {up}
      <PageHead
        title={ledger.name}
        about={
          <div className="flex flex-col items-start gap-1.5">
            <LedgerHealth uid={ledger.uid} />
            <LedgerFigures uid={ledger.uid} />
          </div>
        }
      >
        <Link to="/actions" search={{ ledgerId }} className={buttonClass()}>
          Actions
        </Link>
        <Button onClick={() => setChanging(true)}>Change</Button>
        <Suspension ledgerId={ledgerId} />
      </PageHead>
      <div className="space-y-5">
        {messages.length === 0 ? null : (
          <ul className="space-y-1 rounded-lg bg-wait-soft px-4 py-3 text-sm">
            {messages.map((text) => (
              <li key={text} className="wrap-anywhere">
                {text}
              </li>
            ))}
          </ul>
        )}
        <SuspensionNote ledgerId={ledgerId} />
        <div className="grid items-start gap-5 lg:grid-cols-2">
          <Card title="Ledger">
            <Facts
              items={[
                ['Id', ledger.ledgerId],
                ['Technology', <TechnologyTitle key="technology" name={ledger.technology} />],
                ['Owner', <Owner key="owner" projectId={ledger.projectId} />],
                ...Object.entries(ledger.properties).map(
                  ([name, value]) =>
                    [
                      sentenceText(name),
                      <Property key={name} value={value} member={memberOf(name)} />,
                    ] as const,
                ),
              ]}
            />
          </Card>
          <Selection ledgerId={ledgerId} />
        </div>
        <Nodes ledger={ledger} />
      </div>
      {isChanging ? <ChangeLedger ledger={ledger} close={() => setChanging(false)} /> : null}
    </>
  );
}

/** A property in its unit, with its description. The value is null for a secret. */
function Property({ value, member }: { value: unknown; member: PropertyMember | undefined }) {
  const { description, unit } = member ?? {};
  return (
    <>
      {shownNumber(textOf(value), unit)}
      {unit === undefined ? '' : ` ${unit.name}`}
      {description === undefined ? null : <p className="text-xs text-ink-3">{description}</p>}
    </>
  );
}

function textOf(value: unknown): string {
  if (value === null) return 'stored, and never shown';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The plugin that serves the ledger, and the reason why each other plugin does not. */
function Selection({ ledgerId }: { ledgerId: string }) {
  const selection = useQuery(selectionQuery(ledgerId));
  const { chosen, candidates = [], tags = [] } = selection.data ?? {};
  // Replaces the plugin ids in the reasons with names.
  const named = (text: string) =>
    candidates.reduce((so, { id, name }) => (name === '' ? so : so.replaceAll(id, name)), text);
  return (
    <Card title="Plugin">
      {selection.isError ? <ProblemNote error={selection.error} /> : null}
      {chosen === null ? (
        <p className="text-sm text-bad">No plugin matches: operations are refused until you register one.</p>
      ) : null}
      {chosen?.fault === null || chosen === null || chosen === undefined ? null : (
        <p className="mb-3 rounded-lg bg-bad-soft px-4 py-3 text-sm wrap-anywhere">{chosen.fault}</p>
      )}
      <ul className="divide-y divide-line text-sm">
        {candidates.map(({ id, name, builtIn, isChosen, reason }) => (
          <li key={id} className="py-2 first:pt-0 last:pb-0">
            <div className="flex flex-wrap items-center justify-between gap-2">
              {builtIn ? (
                <span className="font-medium">{name}</span>
              ) : (
                <Link
                  to="/plugins/$pluginId"
                  params={{ pluginId: id }}
                  className="font-medium underline-offset-4 hover:underline"
                >
                  {name}
                </Link>
              )}
              <span className="flex gap-1.5">
                {builtIn ? <Badge>built-in</Badge> : null}
                {isChosen ? <Badge tone="good">chosen</Badge> : null}
              </span>
            </div>
            {reason === null ? null : <p className="text-ink-2">{named(reason)}</p>}
          </li>
        ))}
      </ul>
      {tags.length === 0 ? null : (
        <p className="mt-3 text-xs text-ink-3">
          A plugin for this ledger needs the {tags.length === 1 ? 'tag' : 'tags'} {tags.join(', ')}.
        </p>
      )}
    </Card>
  );
}

function useSuspension(ledgerId: string) {
  return useQuery(ledgerSuspensionQuery(ledgerId)).data ?? undefined;
}

/** Shows that the ledger is suspended, by whom and why. */
function SuspensionNote({ ledgerId }: { ledgerId: string }) {
  const held = useSuspension(ledgerId);
  if (held === undefined) return null;
  return (
    <p className="rounded-lg bg-wait-soft px-4 py-3 text-sm wrap-anywhere">
      Suspended <Time at={held.createdAt} />: {held.reason}
    </p>
  );
}

function Suspension({ ledgerId }: { ledgerId: string }) {
  const held = useSuspension(ledgerId);
  const [asked, setAsked] = useState(false);
  const [reason, setReason] = useState('');
  const done = async () => {
    setAsked(false);
    await queries.invalidateQueries({ queryKey: ['suspensions'] });
    await queries.invalidateQueries({ queryKey: ['ledger-health'] });
  };
  const suspend = useCreation<Schemas['Suspension']>('/v1/ledger-ops/suspensions', done);
  const resume = useMutation({
    mutationFn: () => call('DELETE', path`/v1/ledger-ops/suspensions/${held?.suspensionId ?? ''}`),
    onSuccess: done,
  });
  return (
    <>
      <Button look={held === undefined ? 'danger' : 'primary'} onClick={() => setAsked(true)}>
        {held === undefined ? 'Suspend' : 'Resume'}
      </Button>
      {asked ? (
        <FormDialog
          title={held === undefined ? 'Suspend this ledger?' : 'Resume this ledger?'}
          about={
            held === undefined
              ? 'Stops signing for this ledger. New operations are accepted but wait. Signed operations complete.'
              : 'Waiting operations are signed and sent.'
          }
          confirm={held === undefined ? 'Suspend the ledger' : 'Resume the ledger'}
          look={held === undefined ? 'danger' : 'primary'}
          request={held === undefined ? suspend : resume}
          submit={() => (held === undefined ? suspend.mutate({ ledgerId, reason }) : resume.mutate())}
          close={() => setAsked(false)}
        >
          {held === undefined ? (
            <Input
              label="Reason"
              at="/reason"
              hint="Shown to everyone who can see its actions."
              required
              maxLength={256}
              value={reason}
              set={setReason}
            />
          ) : null}
        </FormDialog>
      ) : null}
    </>
  );
}
