{{- define "timeout-auditor.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "timeout-auditor.fullname" -}}
{{- $name := include "timeout-auditor.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "timeout-auditor.selectorLabels" -}}
app.kubernetes.io/name: {{ include "timeout-auditor.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "timeout-auditor.labels" -}}
{{ include "timeout-auditor.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "timeout-auditor.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "timeout-auditor.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- .Values.serviceAccount.name | default (include "timeout-auditor.fullname" .) }}
{{- else }}
{{- .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{/* The configuration file, never through tpl: its braces are the auditor's. */}}
{{- define "timeout-auditor.config" -}}
{{- .Values.configFile | default (toYaml .Values.config) }}
{{- end }}

{{/* What comes before every route: "" or "/x". */}}
{{- define "timeout-auditor.prefix" -}}
{{- $path := (urlParse .Values.web.externalURL).path | default "" | trimAll "/" }}
{{- if $path }}/{{ $path }}{{ end }}
{{- end }}

{{/* "true" when the operator's resources are to be made. */}}
{{- define "timeout-auditor.operator" -}}
{{- if kindIs "bool" .Values.prometheusOperator.enabled }}
{{- if .Values.prometheusOperator.enabled }}true{{ end }}
{{- else if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}true{{ end }}
{{- end }}

{{/* "true" when a change of the configuration is to make new pods. */}}
{{- define "timeout-auditor.rolls" -}}
{{- if and (eq .Values.reload "roll") (not .Values.existingConfigMap.name) }}true{{ end }}
{{- end }}

{{- define "timeout-auditor.volumes" -}}
- name: config
  configMap:
    name: {{ .Values.existingConfigMap.name | default (include "timeout-auditor.fullname" .) }}
    items:
      - key: {{ ternary .Values.existingConfigMap.key "config.yaml" (not (empty .Values.existingConfigMap.name)) | quote }}
        path: config.yaml
{{- range $i, $secret := .Values.secrets }}
- name: secret-{{ $i }}
  secret:
    secretName: {{ $secret }}
    defaultMode: 0440
{{- end }}
{{- with .Values.web.configSecret }}
- name: web-config
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Whole directories, no subPath: a file under subPath never changes in a running pod. */}}
{{- define "timeout-auditor.volumeMounts" -}}
- name: config
  mountPath: /etc/timeout-auditor/config
  readOnly: true
{{- range $i, $secret := .Values.secrets }}
- name: secret-{{ $i }}
  mountPath: /etc/timeout-auditor/secrets/{{ $secret }}
  readOnly: true
{{- end }}
{{- with .Values.web.configSecret }}
- name: web-config
  mountPath: /etc/timeout-auditor/web
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* A probe: HTTP, or only a connection where the kubelet would need a password. */}}
{{- define "timeout-auditor.probe" -}}
{{- if .root.Values.web.authentication -}}
tcpSocket:
  port: http
{{- else -}}
httpGet:
  path: {{ include "timeout-auditor.prefix" .root }}/-/{{ .path }}
  port: http
  scheme: {{ ternary "HTTPS" "HTTP" .root.Values.web.tls }}
{{- end }}
{{- end }}
