import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type TemplateVersion, templateQuery, versionsQuery } from '../api/templates.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Card, Empty, Facts, PageHead, Up } from '../ui/layout.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { Unread } from '../ui/record.tsx';
import { Badge } from '../ui/status.tsx';
import { Id, Time } from '../ui/text.tsx';
import { TechnologyTitle } from './ledger/technology.tsx';
import { NewVersion } from './templates/new-version.tsx';

const route = getRouteApi('/frame/templates/$templateId');

const up = <Up to="/templates">Templates</Up>;

/** The end of a compilation sends no event, so the version's status is polled. */
const whileCompiling = ({ state }: { state: { data?: readonly TemplateVersion[] | undefined } }) =>
  state.data?.some(({ status }) => status === 'PENDING') === true ? 1_000 : false;

export function TemplatePage() {
  const { templateId } = route.useParams();
  const versions = useQuery({ ...versionsQuery(templateId), refetchInterval: whileCompiling });
  const template = useQuery(templateQuery(templateId));
  const [isAdding, setAdding] = useState(false);
  if (template.data === undefined || versions.data === undefined) {
    return <Unread error={template.error ?? versions.error} name="template" up={up} />;
  }
  const { name, description } = template.data;
  const newestFirst = versions.data.toReversed();
  const [newest] = newestFirst;
  return (
    <>
      {up}
      <PageHead title={name} about={description ?? undefined}>
        <Permitted permission="smart-contract-template:update">
          <Button look="primary" onClick={() => setAdding(true)}>
            New version
          </Button>
        </Permitted>
      </PageHead>
      <div className="space-y-4">
        {newestFirst.map((one) => (
          <Version key={one.version} of={one} />
        ))}
        {newest === undefined ? (
          <Card>
            <Empty title="No versions yet">Contracts are deployed from versions. Add the first one.</Empty>
          </Card>
        ) : null}
      </div>
      {isAdding ? (
        <NewVersion
          template={{ templateId, technology: newest?.technology }}
          next={/^\d{1,9}$/.test(newest?.version ?? '') ? String(Number(newest?.version) + 1) : ''}
          done={() => setAdding(false)}
          close={() => setAdding(false)}
        />
      ) : null}
    </>
  );
}

const states = {
  COMPILED: ['good', 'ready'],
  PENDING: ['wait', 'compiling'],
  FAILED: ['bad', 'does not compile'],
} as const;

function Version({ of }: { of: TemplateVersion }) {
  const { templateId, version, technology, status, messages, language, checksum, description } = of;
  const [tone, word] = states[status];
  const named = `${templateId}:${version}`;
  return (
    <Card
      title={`Version ${version}`}
      aside={
        <span className="flex items-center gap-3">
          <Badge tone={tone}>{word}</Badge>
          {status === 'COMPILED' ? (
            <Link
              to="/send"
              search={{ kind: 'deploy', template: named }}
              aria-label={`Deploy ${named}`}
              className={buttonClass()}
            >
              Deploy
            </Link>
          ) : null}
        </span>
      }
    >
      <Facts
        items={[
          ['Name', <Id key="named">{named}</Id>],
          ['Technology', <TechnologyTitle key="technology" name={technology} />],
          ...(language === null ? [] : ([['Language', language]] as const)),
          ...(description === null || description === '' ? [] : ([['About', description]] as const)),
          ...(checksum === '' ? [] : ([['Checksum', <Id key="checksum">{checksum}</Id>]] as const)),
          ['Added', <Time key="added" at={of.createdAt} />],
        ]}
      />
      {messages.length === 0 ? null : <Messages messages={messages} />}
    </Card>
  );
}

/** Compiler messages: errors first, warnings on request. */
function Messages({ messages }: { messages: TemplateVersion['messages'] }) {
  const errors = messages.filter(({ severity }) => severity === 'error');
  const others = messages.filter(({ severity }) => severity !== 'error');
  return (
    <details className="mt-4 text-sm" open={errors.length > 0}>
      <summary className="cursor-pointer font-medium">Compiler messages</summary>
      <ul className="mt-2 space-y-2">
        {[...errors, ...others].map(({ severity, message, file, line, column }) => (
          <li key={`${file} ${line} ${column} ${message}`} className="rounded-lg bg-sunken px-3 py-2">
            <p className="flex items-center gap-2 text-xs text-ink-2">
              <Badge tone={severity === 'error' ? 'bad' : severity === 'warning' ? 'wait' : 'info'}>
                {severity}
              </Badge>
              {file === null ? null : `${file}${line === null ? '' : `:${line}`}`}
            </p>
            <p className="mt-1 wrap-anywhere whitespace-pre-wrap">{message}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
