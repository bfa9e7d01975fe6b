/** The API's types by their names in the domain. Everything comes from the generated schema. */

import type { components } from "./schema.gen";

type Schemas = components["schemas"];

export type ActionOffer = Schemas["ActionOffer"];
export type ActiveFault = Schemas["ActiveFault"];
export type ActiveFaults = Schemas["ActiveFaults"];
export type Adjustment = Schemas["Adjustment"];
export type Alert = Schemas["Alert"];
export type AlertCounts = Schemas["AlertCounts"];
export type AlertKind = Schemas["AlertKind"];
export type AlertRule = Schemas["AlertRule"];
export type AlertSeverity = Schemas["AlertSeverity"];
export type Algorithm = Schemas["Algorithm"];
export type AlgorithmRank = Schemas["AlgorithmRank"];
export type Artefact = Schemas["Artefact"];
export type ArtefactKind = Schemas["ArtefactKind"];
export type AuditEntry = Schemas["AuditEntry"];
export type AuditSeal = Schemas["AuditSeal"];
export type Cause = Schemas["Cause"];
export type Channel = Schemas["Channel"];
export type ChannelMade = Schemas["ChannelMade"];
export type ChannelNew = Schemas["ChannelNew"];
export type AntiAffinity = Schemas["AntiAffinity"];
export type ChainChange = Schemas["ChainChange"];
export type ChainControl = Schemas["ChainControl"];
export type ChainImport = Schemas["ChainImport"];
export type ChainPrediction = Schemas["ChainPrediction"];
export type ChainSample = Schemas["ChainSample"];
export type ChainSpec = Schemas["ChainSpec"];
export type ChainView = Schemas["ChainView"];
export type Change = Schemas["Change"];
export type ComparedPlan = Schemas["ComparedPlan"];
export type Comparison = Schemas["Comparison"];
export type Core = Schemas["Core"];
export type CurveModel = Schemas["CurveModel"];
export type Enrolment = Schemas["Enrolment"];
export type EnrolmentMade = Schemas["EnrolmentMade"];
export type BusyCore = Schemas["BusyCore"];
export type Delivery = Schemas["Delivery"];
export type Doubt = Schemas["Doubt"];
export type Evidence = Schemas["Evidence"];
export type Fault = Schemas["FaultOrder"]["fault"];
export type Estimate = Schemas["Estimate"];
export type FleetDifference = Schemas["FleetDifference"];
export type History = Schemas["History"];
export type HistoryMark = Schemas["HistoryMark"];
export type HistoryPrediction = Schemas["HistoryPrediction"];
export type PastFleet = Schemas["PastFleet"];
export type PastHost = Schemas["PastHost"];
export type FieldError = Schemas["FieldError"];
export type FileKind = Schemas["FileKind"];
export type FleetPredictions = Schemas["FleetPredictions"];
export type FleetSnapshot = Schemas["FleetSnapshot"];
export type Fit = Schemas["Fit"];
export type FitBrief = Schemas["FitBrief"];
export type FitView = Schemas["FitView"];
export type PromotionPreview = Schemas["PromotionPreview"];
export type FittedPoint = Schemas["FittedPoint"];
export type FrontierPoint = Schemas["FrontierPoint"];
export type Consolidation = Schemas["Consolidation"];
export type CompactEvidence = Schemas["CompactEvidence"];
export type HostEvidence = Schemas["HostEvidence"];
export type Capability = Schemas["Capability"];
export type HostPredictions = Schemas["HostPredictions"];
export type HostView = Schemas["HostView"];
export type ReservedCore = Schemas["ReservedCore"];
export type DriftReport = Schemas["DriftReport"];
export type DriftDifference = Schemas["DriftDifference"];
export type DriftWay = Schemas["DriftWay"];
export type ChainLoss = Schemas["ChainLoss"];
export type ChainOutcome = Schemas["ChainOutcome"];
export type MoveOutcome = Schemas["MoveOutcome"];
export type ResourceBounds = Schemas["ResourceBounds"];
export type HostWork = Schemas["HostWork"];
export type ImportedChain = Schemas["ImportedChain"];
export type Interference = Schemas["Interference"];
export type JobAction = Schemas["JobAction"];
export type LevelsVersion = Schemas["LevelsVersion"];
export type JobState = Schemas["JobState"];
export type SharesVersion = Schemas["SharesVersion"];
export type NodeKind = Schemas["NodeLevels"]["kind"];
export type MetricSelection = Schemas["MetricSelection"];
export type ModelUse = Schemas["ModelUse"];
export type ModelVersion = Schemas["ModelVersion"];
export type NewChainPrediction = Schemas["NewChainPrediction"];
export type SettingsPrediction = Schemas["SettingsPrediction"];
export type NfPrediction = Schemas["NfPrediction"];
export type NfSample = Schemas["NfSample"];
export type NodeSample = Schemas["NodeSample"];
export type NfType = Schemas["NfType"];
export type NfTypeChange = Schemas["NfTypeChange"];
export type NfTypeNew = Schemas["NfTypeNew"];
export type NfView = Schemas["NfView"];
export type MoveTargets = Schemas["MoveTargets"];
export type NumasfpResult = Schemas["NumasfpResult"];
export type NumasfpScenario = Schemas["NumasfpScenario"];
export type NumasfpSummary = Schemas["NumasfpSummary"];
export type Operation = Schemas["Operation"];
export type OperationAction = Schemas["OperationAction"];
export type OperationState = Schemas["OperationState"];
export type Outcome = Schemas["Outcome"];
export type PerformanceModel = Schemas["PerformanceModel"];
export type PlacedNf = Schemas["PlacedNf"];
export type PlacementResult = Schemas["PlacementResult"];
export type PlacementScenario = Schemas["PlacementScenario"];
export type PlacementSummary = Schemas["PlacementSummary"];
export type Plan = Schemas["Plan"];
export type PlanBody = Schemas["PlanBody"];
export type PlanBrief = Schemas["PlanBrief"];
export type PlanProgress = Schemas["PlanProgress"];
export type PlanState = Schemas["PlanState"];
export type PlanWait = Schemas["PlanWait"];
export type Policy = Schemas["RecommendationPolicy"];
export type PolicyMode = Schemas["PolicyMode"];
export type Automation = Schemas["Automation"];
export type HostAutomation = Schemas["HostAutomation"];
export type LawOnHost = Schemas["LawOnHost"];
export type LawView = Schemas["LawView"];
export type ScopedPolicy = Schemas["ScopedPolicy"];
export type CocoCore = Schemas["CocoCore"];
export type CocoElement = Schemas["CocoElement"];
export type CocoStart = Schemas["CocoStart"];
export type CocoHost = Schemas["CocoHost"];
export type CocoHostRow = Schemas["CocoHostRow"];
export type CocoParameters = Schemas["CocoParameters"];
export type CocoParametersChange = Schemas["CocoParametersChange"];
export type NumasfpChain = Schemas["NumasfpChain"];
export type NumasfpHost = Schemas["NumasfpHost"];
export type NumasfpHostRow = Schemas["NumasfpHostRow"];
export type NumasfpNode = Schemas["NumasfpNode"];
export type NumasfpParameters = Schemas["NumasfpParameters"];
export type NumasfpParametersChange = Schemas["NumasfpParametersChange"];
export type WayTransfer = Schemas["WayTransfer"];
export type MaintenanceWindow = Schemas["MaintenanceWindow"];
export type TimelineEntry = Schemas["TimelineEntry"];
export type PolicyView = Schemas["PolicyView"];
export type PointPurpose = Schemas["PointPurpose"];
export type PointSetting = Schemas["PointSetting"];
export type PointState = Schemas["PointState"];
export type Problem = Schemas["Problem"];
export type ProfilingAsk = Schemas["ProfilingAsk"];
export type ProfilingDesign = Schemas["ProfilingDesign"];
export type ProfilingJob = Schemas["ProfilingJob"];
export type ProfilingPoint = Schemas["ProfilingPoint"];
export type Provenance = Schemas["Provenance"];
export type Race = Schemas["Race"];
export type RaceEntry = Schemas["RaceEntry"];
export type RaceRanking = Schemas["RaceRanking"];
export type RaceState = Schemas["RaceState"];
export type Recommendation = Schemas["Recommendation"];
export type Assumption = Schemas["Assumption"];
export type Relaxation = Schemas["Relaxation"];
export type Rejection = Schemas["Rejection"];
export type Role = Schemas["Role"];
export type Session = Schemas["ConsoleSession"];
export type SessionView = Schemas["SessionView"];
export type TokenView = Schemas["TokenView"];
export type IdentityProvider = Schemas["IdentityProvider"];
export type IdentityProviderSettings = Schemas["IdentityProviderSettings"];
export type Lane = Schemas["Lane"];
export type UserView = Schemas["UserView"];
export type SideFit = Schemas["SideFit"];
export type SloState = Schemas["SloState"];
export type SloVerdict = Schemas["SloVerdict"];
export type Silence = Schemas["Silence"];
export type Solving = Schemas["Solving"];
export type StandingPrediction = Schemas["StandingPrediction"];
export type StartCommands = Schemas["StartCommands"];
export type Step = Schemas["Step"];
export type Study = Schemas["Study"];
export type StudyResult = PlacementResult | NumasfpResult;
export type StudyScenario = Schemas["StudyScenario"];
export type StudyState = Schemas["StudyState"];
export type StudySummary = PlacementSummary | NumasfpSummary;
export type TelemetryBatch = Schemas["TelemetryBatch"];
export type Trust = Schemas["Trust"];
export type TrustVerdict = Schemas["TrustVerdict"];
export type ValidationScore = Schemas["ValidationScore"];
export type Victim = Schemas["Victim"];

export type SnapshotEvent = Schemas["SnapshotEvent"];
/** `data:` of one server-sent event. */
export type LiveEvent =
  | SnapshotEvent
  | Schemas["AlertsEvent"]
  | Schemas["TelemetryEvent"]
  | Schemas["HostEvent"]
  | Schemas["HostGoneEvent"]
  | Schemas["ChainEvent"]
  | Schemas["ChainGoneEvent"]
  | Schemas["PlanEvent"]
  | Schemas["OperationEvent"]
  | Schemas["ProfilingEvent"]
  | Schemas["RecommendationEvent"]
  | Schemas["StudyEvent"]
  | Schemas["StudyGoneEvent"];
