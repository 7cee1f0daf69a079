import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { constructorQuery, templatesQuery, versionsQuery } from '../../api/templates.ts';
import { named } from '../../lib/interface.ts';
import { Select } from '../../ui/field.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { Arguments, soundArguments } from './arguments.tsx';
import { OperationForm } from './operation-form.tsx';
import type { Sender } from './sender.ts';

/** @param first template and version that are chosen at the beginning: `token:1` */
export function DeployForm({ sender, first = '' }: { sender: Sender; first: string | undefined }) {
  const templates = useQuery(templatesQuery());
  const [firstTemplate = '', firstVersion = ''] = first.split(':');
  const [templateId, setTemplateId] = useState(firstTemplate);
  const [chosen, setChosen] = useState({ version: firstVersion, values: [] as readonly string[] });
  const versions = useQuery({ ...versionsQuery(templateId), enabled: templateId !== '' });
  const technology = sender.target?.ledger.technology;
  const usable = versions.data?.filter(
    (one) => one.status === 'COMPILED' && (technology === undefined || one.technology === technology),
  );
  const version = usable?.find((one) => one.version === chosen.version)?.version ?? '';
  const inputs = useQuery(constructorQuery(templateId, version));
  const parameters = named(inputs.data ?? []);
  const args = soundArguments(parameters, chosen.values);
  const options =
    version === '' || inputs.data === undefined || args === undefined
      ? undefined
      : {
          contract_source: {
            lookup_service: { type: 'service', value: 'service' },
            resource: `${templateId}:${version}`,
          },
          args,
        };
  return (
    <OperationForm
      type="contract_deploy"
      sender={sender}
      options={options}
      summary={[
        ['Template', templates.data?.find((one) => one.templateId === templateId)?.name],
        ['Version', version],
        ...parameters.map(({ name }, index) => [name, args?.[index] ?? ''] as const),
      ]}
    >
      {templates.isError ? <ProblemNote error={templates.error} canRetry /> : null}
      <Select
        label="Template"
        required
        value={templateId}
        onChange={({ target }) => {
          setTemplateId(target.value);
          setChosen({ version: '', values: [] });
        }}
      >
        <option value="">Choose…</option>
        {templates.data?.map(({ templateId: id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label="Version"
        required
        value={version}
        onChange={({ target }) => setChosen({ version: target.value, values: [] })}
      >
        <option value="">Choose…</option>
        {usable?.map((one) => (
          <option key={one.version} value={one.version}>
            {one.version}
          </option>
        ))}
      </Select>
      {versions.isError ? <ProblemNote error={versions.error} canRetry /> : null}
      {inputs.isError ? <ProblemNote error={inputs.error} canRetry /> : null}
      <Arguments
        key={`${templateId}:${version}`}
        parameters={parameters}
        values={chosen.values}
        change={(values) => setChosen({ ...chosen, values })}
      />
    </OperationForm>
  );
}
