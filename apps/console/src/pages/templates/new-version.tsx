import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useProject } from '../../api/access.ts';
import { path } from '../../api/client.ts';
import { useOnce } from '../../api/create.ts';
import { queries, technologiesQuery } from '../../api/queries.ts';
import { type Template, type TemplateVersion, templatesPath } from '../../api/templates.ts';
import { deployableIn, FileError, filesOf, isSources, readTemplateCode } from '../../lib/template-code.ts';
import { FieldRow, Input, Select } from '../../ui/field.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

/** Adds a version of a template, and the template first where none is given. */
export function NewVersion({
  template,
  next = '1',
  done,
  close,
}: {
  template?: { readonly templateId: string; readonly technology: string | undefined };
  /** The version that is offered. */
  next?: string;
  done: (templateId: string) => void;
  close: () => void;
}) {
  const technologies =
    useQuery(technologiesQuery()).data?.filter(({ templates }) => templates !== null) ?? [];
  const [chosen, setChosen] = useState(template?.technology ?? '');
  const [templateId, setTemplateId] = useState(template?.templateId ?? '');
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [version, setVersion] = useState(next);
  const [contract, setContract] = useState('');
  const [files, setFiles] = useState<readonly File[]>([]);
  /** Names of the contracts in a file that was chosen. */
  const [compiled, setCompiled] = useState<{ readonly file: File; readonly names: readonly string[] }>();
  const [interfaceFile, setInterfaceFile] = useState<File>();
  /** Templates that this form has made: its version may have been refused afterwards. */
  const made = useRef(new Set<string>());
  const once = useOnce();
  const project = useProject();
  const technology = technologies.find((one) => one.name === chosen) ?? technologies[0];
  const form = technology?.templates ?? undefined;
  const about = form === undefined ? undefined : filesOf(form);
  const mayChooseContract = about?.hasInterface === false && isSources(files);
  const names = about?.hasInterface === false && compiled?.file === files[0] ? (compiled?.names ?? []) : [];
  const choose = (given: readonly File[]) => {
    setFiles(given);
    setContract('');
    const [file] = given;
    if (file === undefined) return;
    void deployableIn(file).then((contracts) =>
      setCompiled({ file, names: contracts.map((one) => one.name) }),
    );
  };
  const add = useMutation({
    async mutationFn() {
      if (form === undefined || technology === undefined)
        throw new FileError('No technology here takes templates.');
      const code = await readTemplateCode(form, files, interfaceFile, contract);
      if (template === undefined && !made.current.has(templateId)) {
        await once<Template>(templatesPath, {
          templateId,
          name: name === '' ? templateId : name,
          ...(description === '' ? {} : { description }),
          ...(project === undefined ? {} : { projectId: project.projectId }),
        });
        made.current.add(templateId);
      }
      await once<TemplateVersion>(path`/v1/contract-templates/${templateId}/versions`, {
        ...{ version, code, technology: technology.name },
        ...(mayChooseContract && contract !== '' ? { contract } : {}),
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['templates'] }),
    onSuccess() {
      close();
      done(templateId);
    },
  });
  return (
    <FormDialog
      title={template === undefined ? 'New template' : 'New version'}
      about="Sources are compiled by the service; what a compiler wrote is taken as it is."
      confirm={template === undefined ? 'Add the template' : 'Add the version'}
      request={add}
      submit={() => add.mutate()}
      close={close}
    >
      {template === undefined ? (
        <>
          <Input
            label="Id"
            hint="By which operations name it, with its version: my-token:1."
            required
            pattern="[A-Za-z0-9._\-]{1,64}"
            title="1 to 64 letters, digits, dots, hyphens or underscores"
            value={templateId}
            onChange={({ target }) => setTemplateId(target.value.trim())}
          />
          <Input
            label="Name"
            hint="Left empty, its id."
            maxLength={256}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Input
            label="Description"
            maxLength={4_096}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        </>
      ) : null}
      <FieldRow>
        <Select
          label="Technology"
          required
          value={technology?.name ?? ''}
          onChange={({ target }) => setChosen(target.value)}
        >
          {technologies.map((one) => (
            <option key={one.name} value={one.name}>
              {one.title}
            </option>
          ))}
        </Select>
        <Input
          label="Version"
          required
          maxLength={64}
          value={version}
          onChange={({ target }) => setVersion(target.value.trim())}
        />
      </FieldRow>
      {about === undefined ? null : <FileField key={technology?.name} {...about} required choose={choose} />}
      {mayChooseContract ? (
        <Input
          label="Contract"
          hint="Which one, where the sources have several: Name, or File.sol:Name."
          maxLength={512}
          value={contract}
          onChange={({ target }) => setContract(target.value.trim())}
        />
      ) : null}
      {names.length > 1 ? (
        <Select
          label="Contract"
          required
          value={contract}
          onChange={({ target }) => setContract(target.value)}
        >
          <option value="">Choose…</option>
          {names.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
      ) : null}
      {about?.hasInterface === true ? (
        <FileField
          label="Interface"
          hint="Contract metadata, or an IDL, in JSON. It may be left out where the code or the ledger tells it."
          accept=".json"
          choose={([file]) => setInterfaceFile(file)}
        />
      ) : null}
    </FormDialog>
  );
}
