# Which tests run with sanitizers. tests/CMakeLists.txt builds the files that are chosen here, and CTest's label
# `sanitize` or `sanitize_threads` is on those of their tests that run.
#
# Everything here is a regular expression, and one that matches nothing is an error.
cmake_policy(VERSION 3.25)  # CTest, which includes this too, has none

# With sanitizers a test takes several times as long to compile and to run. The rule: every part is there, with the files
# PART/NAME_test.cpp that reach most of its sources in little time. What simulates for long, refines a discretization,
# compares with a paper or counts allocations (the sanitizers have an allocator of their own) reaches no more of them.
set(sanitize_files
    "control/.+" "spatial/(dense|dual|exponential|pack_math)"
    "bodies/(body_contract|continuum_joint|neural_kinematics|point_reduction|rod_sharing|rod_tangent|tetrahedral_mesh|volume_body)"
    "model/(joint|loop|signal)"
    "elements/.+" "sensors/sensors" "identification/.+"
    "algorithms/(constraints|fluid_load|loop_closure|overflow|statics|volume_actuation|workspace)"
    "simulation/(adjoint_controllers|batch|batch_rollout|implicit_integrator|live_simulation|loops|motion_adjoint|robot_rollouts|state_loads)"
    "io/(cli|gmsh_file|hostile_file|hostile_import|live_(command|saving)|loop_file|neural_reader|parameter_gradient|reduced_volume|result_reader|robot_errors)"
    "io/(robot_file|scenario_file|scene_mesh_import|sdf_import|visual)"
    "view/(gltf|report|robot_outline|scene|svg_plot)")
set(sanitize_files_but "control/(shipped|pneumatic_paper)_runs" "identification/(friction_|motion_)?identification")

# Tests of these files that reach the same code again, for minutes.
set(sanitize_slow
    # gradients by all numbers of a file: some robots are enough
    "EveryParameter.*/(swimmer|hybrid_arm|arm_rods|rods|volumes|simulation[0-9_a-z]*|neural_arm|lvp_finger|free|drones)"
    "EveryParameter.*/(tendons|edges|parallel_robot|branched_tree|ritz_block|floating_rod)"
    "EveryParameter.*/(tendon_robot|drone_arm|hyperelastic|servo_finger|pusher)"
    # runs of a mesh
    "EveryKindOfRobot.*/femfinger"
    # laws: with one method each, some of them live, with a loop and in a batch
    "EveryLaw.*(_(erk|hht|generalized_alpha|midpoint|energy_conserving|tsit5|rk4|bdf)|adaptive)"
    "EveryLaw(Live|WithALoop|InABatch).*/(lqr|feed_|.*_of_a_part|pd_with|operational|partial|pfbl|adaptive|external)"
    "RunsWithEveryIntegrator/.*sampled" "(Lqr|External).RunsWithEveryIntegrator" "SensingLaws.RunWithEvery" "LawSlopes"
    "ControlledRunsAgree" "HoldDelayLimitAndRepeat"
    # long runs
    "PustinaSimulation" "RunTheExampleOfTheDoc" "OnAJointIsIts" "AccountOfEnergyCloses" "RunsThroughSlack" "MethodsAgreeAlso"
    "WaterKeepsTheEnergy"
    # the way back of CVODE and ARKODE: a closed loop takes it too
    "MotionAdjoint.OfMethodsWithErrorControl"
    # ways back through laws: one, with a clock
    "LawsGoBack\\.AsForward" "LawsGoBackWith.(Windows|BdfAnd|AClock)"
    # of meshes at rest: those by numbers and by inputs of what rubs stay
    "MeshEquilibria.(TellParameters|TangentsAre|HaveModes)"
    # differences of whole runs
    "WithoutCopies.DerivativesAre"
    # sweeps of bases and of fits
    "PointReductionTest.Keeps" "TendonFrictionBases.ForceIsThatOfAPolygon" "DoubtfulFit.(AGoodOneIsLeftAlone|FewSamplesAPeriod|AFourBarLinkageIsLearned|ALossWithout|TheBeginning)"
    # all models
    "ChecksEveryModel")

# What runs in threads, or is shared by threads.
set(sanitize_threads_files "bodies/rod_sharing" "simulation/(batch|batch_rollout|live_simulation|robot_rollouts|simulator)"
                           "io/(batch_parameters|live_(command|saving)|parameter_gradient)")
set(sanitize_threads_files_but "")
set(sanitize_threads_slow "EveryParameter")

# Those of `names` that match one of the patterns.
function(cuttle_matching result names)
  set(found "")
  foreach(pattern IN LISTS ARGN)  # one by one: CMake compiles no expression with many parentheses
    set(matching ${names})
    list(FILTER matching INCLUDE REGEX "${pattern}")
    if(NOT matching)
      message(FATAL_ERROR "tests/sanitizers.cmake: '${pattern}' matches nothing, expected a test at least")
    endif()
    list(APPEND found ${matching})
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# The sources that are built for a label.
function(cuttle_sanitized_sources result label sources)
  set(chosen ${${label}_files})
  list(TRANSFORM chosen REPLACE "(.+)" "/\\1_test[.]cpp$")
  cuttle_matching(found "${sources}" ${chosen})
  set(but ${${label}_files_but})
  list(TRANSFORM but REPLACE "(.+)" "/\\1_test[.]cpp$")
  cuttle_matching(left_out "${found}" ${but})
  list(REMOVE_ITEM found ${left_out})
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# For CTest, once it has asked the programs for their tests.
function(cuttle_label_tests label tests)
  cuttle_matching(slow "${tests}" ${${label}_slow})
  list(REMOVE_ITEM tests ${slow})
  set_tests_properties(${tests} PROPERTIES LABELS ${label})
endfunction()
