% Holds the motor at 0.5 rad and pulls the cable more and more, as controller.py: a line of JSON in, a line of JSON out.
% For MATLAB (R2016b or newer) and GNU Octave (7 or newer).
octave = exist('OCTAVE_VERSION', 'builtin') ~= 0;
by_java = ~octave && usejava('jvm');  % with -batch some MATLABs have no `input`
if by_java
  lines = java.io.BufferedReader(java.io.InputStreamReader(java.lang.System.in));
end
while true
  if by_java
    line = lines.readLine();
  else
    try
      line = input('', 's');  % Octave's fgetl(stdin) would wait for the line after this one
    catch
      line = [];
    end
  end
  if isempty(line)
    break  % the run has ended
  end
  sample = jsondecode(char(line));  % time [s], q and v of the whole robot in the order of `cuttle info`, sensors
  motor = 8.0 * (0.5 - sample.q(1)) - 1.0 * sample.v(1);  % N m
  cable = 4.0 * sample.time;  % N
  fprintf('{"u": [%.17g, %.17g]}\n', motor, cable);  % one number an input, in the order of `inputs`; all their digits
  if octave
    fflush(stdout);  % MATLAB keeps nothing back
  end
end
