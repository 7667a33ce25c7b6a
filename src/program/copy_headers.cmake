# Copies the headers that a workload may include from SOURCE into FOLDER.
file(REMOVE_RECURSE ${FOLDER})
file(COPY ${SOURCE}/base ${SOURCE}/model ${SOURCE}/graphs ${SOURCE}/device DESTINATION ${FOLDER} FILES_MATCHING PATTERN *.hpp PATTERN *.cuh)
